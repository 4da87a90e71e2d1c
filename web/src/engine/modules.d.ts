declare module "#engine" {
  const make_engine: (options: { wasmBinary: ArrayBuffer }) => Promise<unknown>;
  export default make_engine;
}
declare module "#engine.wasm" {
  const url: string; // data:…;base64,…, or "" where the page is built without the engine
  export default url;
}
