declare module "#lesson" {
  const html: string; // docs/how-to/lesson.md
  export default html;
}
declare module "#old-names" {
  const now: { [old: string]: string }; // of metrics
  export default now;
}
declare module "#kept" {
  // docs/results/: what full forms came to, and which claim a finding shows, by the finding's heading
  const kept: {
    experiments: {
      experiment: string;
      corpus: string; // "": it has none
      claims: { name?: string; claim: string; value: number | null; wanted: string; held: boolean }[];
    }[];
    findings: { [heading: string]: string }; // a claim's name, or how its text begins
  };
  export default kept;
}
declare module "#engine" {
  const make_engine: (options: { wasmBinary: ArrayBuffer }) => Promise<unknown>;
  export default make_engine;
}
declare module "#engine.wasm" {
  const packed: string; // as ../packed.ts unpacks it, in base64; "" where the page is built without the engine
  export default packed;
}
