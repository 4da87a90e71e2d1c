// What the page and its neighbours hold packed: as DEFLATE with the head of zlib, and where only text may stand in
// base64.
import { Trouble } from "./trouble";

export const can_unpack = typeof DecompressionStream !== "undefined";

export function bytes_of(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), one => one.charCodeAt(0));
}

export function unpacked(packed: BlobPart): Response {
  if (!can_unpack) throw new Trouble("This browser cannot unpack what the page holds: take one of 2023 or later.");
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate")));
}
