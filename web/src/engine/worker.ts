// The engine on a thread of its own: questions come in as messages and are answered in their order.
/// <reference lib="webworker" />
import make_engine from "#engine";
import { unpacked } from "../packed";

interface Question {
  id: number;
  ask: string; // JSON
}

interface Module {
  _fovea_ask(question: number): number;
  _fovea_attached(): number;
  _fovea_attached_size(): number;
  HEAPU8: Uint8Array;
  _malloc(bytes: number): number;
  _free(at: number): void;
  lengthBytesUTF8(text: string): number;
  stringToUTF8(text: string, at: number, bytes: number): void;
  UTF8ToString(at: number): string;
}

let engine: Promise<Module> | undefined;

self.onmessage = async (message: MessageEvent<Question | { packed: ArrayBuffer }>) => {
  if ("packed" in message.data) {
    const { packed } = message.data;
    engine = (async () => {
      if (typeof WebAssembly === "undefined") throw new Error("it has no WebAssembly, or has it switched off");
      return make_engine({ wasmBinary: await unpacked(packed).arrayBuffer() }) as Promise<Module>;
    })();
    engine.catch(() => {}); // whoever asks is told
    return;
  }
  const { id, ask } = message.data;
  const fail = (problem: string, remedy: string) =>
    self.postMessage({
      id,
      answer: JSON.stringify({ error: { problem, remedy } }),
      attached: new ArrayBuffer(0),
      over: true,
    });
  let module: Module;
  try {
    module = await engine!;
  } catch (error) {
    return fail(
      `this browser cannot run the engine (${(error as Error).message})`,
      "switch WebAssembly on, or take another browser",
    );
  }
  try {
    const size = module.lengthBytesUTF8(ask) + 1;
    const at = module._malloc(size);
    module.stringToUTF8(ask, at, size);
    const answer = module.UTF8ToString(module._fovea_ask(at));
    module._free(at);
    const from = module._fovea_attached();
    const attached = module.HEAPU8.slice(from, from + module._fovea_attached_size()).buffer;
    self.postMessage({ id, answer, attached }, [attached]);
  } catch (error) {
    // Past its memory: whatever is left in there cannot be trusted.
    fail(
      `the engine broke off (${(error as Error).message})`,
      "it may have wanted more memory than a browser gives: use a smaller batch, vocabulary or hidden size",
    );
  }
};
