// Reads a GIF as a browser does: each frame whole, with what stays of those before it.
export function decoded(bytes) {
  let at = 0;
  const byte = () => bytes[at++], word = () => byte() | (byte() << 8);
  const blocks = () => {
    const parts = [];
    for (let size = byte(); size > 0; size = byte()) parts.push(bytes.subarray(at, (at += size)));
    return Buffer.concat(parts);
  };
  if (String.fromCharCode(...bytes.subarray(0, 6)) !== "GIF89a") throw new Error("no GIF of version 89a");
  at = 6;
  const width = word(), height = word(), flags = byte();
  at += 2;
  const colours = bytes.subarray(at, (at += 3 << ((flags & 7) + 1)));
  const canvas = new Uint8ClampedArray(4 * width * height), frames = [];
  let hundredths = 0, transparent = -1;
  for (let kind = byte(); kind !== 0x3b; kind = byte()) {
    if (kind === 0x21) {
      const label = byte(), data = blocks();
      if (label === 0xf9) [hundredths, transparent] = [data.readUInt16LE(1), data[0] & 1 ? data[3] : -1];
      continue;
    }
    if (kind !== 0x2c) throw new Error(`a block that begins with ${kind} at ${at}`);
    const left = word(), top = word(), wide = word(), high = word();
    byte();
    const values = expanded(byte(), blocks());
    if (values.length !== wide * high) throw new Error(`${values.length} values for ${wide} by ${high}`);
    values.forEach((value, i) => {
      if (value !== transparent) canvas.set([...colours.subarray(3 * value, 3 * value + 3), 255], 4 * ((top + Math.floor(i / wide)) * width + left + (i % wide)));
    });
    frames.push({ hundredths, pixels: canvas.slice() });
  }
  return { width, height, frames };
}

// LZW, by the definition: each code is the values of one before it and one more.
function expanded(least, data) {
  const clear = 1 << least, end = clear + 1, out = [];
  let table, size, before, at = 0;
  for (;;) {
    let code = 0;
    for (let i = 0; i < (size ?? least + 1); ++i, ++at) code |= ((data[at >> 3] >> (at & 7)) & 1) << i;
    if (code === end) return out;
    if (code === clear) {
      table = Array.from({ length: end + 1 }, (_, value) => [value]);
      [size, before] = [least + 1, undefined];
      continue;
    }
    const now = table[code] ?? [...before, before[0]];
    if (before && table.length < 4096) table.push([...before, now[0]]);
    if (table.length === 1 << size && size < 12) ++size;
    for (const value of now) out.push(value);
    before = now;
  }
}
