// A moving picture as a GIF (version 89a): up to 255 colours of its own, and of each frame only what has changed.
export interface Frame {
  pixels: Uint8ClampedArray; // red, green, blue and opacity of each, row after row
  hundredths: number; // of a second that it stands
}

const same = 255; // stands for "as in the frame before"
const bin_of = (pixels: Uint8ClampedArray, at: number) =>
  ((pixels[at]! >> 4) << 8) | ((pixels[at + 1]! >> 4) << 4) | (pixels[at + 2]! >> 4);

// The colours that occur most in the samples, and which of them is nearest to each of 4096 bins of colours.
function palette_of(samples: Uint8ClampedArray[]): { colours: Uint8Array; nearest: Uint8Array } {
  const sums = new Float64Array(4096 * 4); // count, red, green, blue
  for (const pixels of samples)
    for (let at = 0; at < pixels.length; at += 4) {
      const bin = 4 * bin_of(pixels, at);
      sums[bin]! += 1;
      for (let channel = 0; channel < 3; ++channel) sums[bin + 1 + channel]! += pixels[at + channel]!;
    }
  const mean = (bin: number, channel: number) => Math.round(sums[4 * bin + 1 + channel]! / sums[4 * bin]!);
  const bins = Array.from({ length: 4096 }, (_, bin) => bin)
    .filter(bin => sums[4 * bin]! > 0)
    .sort((a, b) => sums[4 * b]! - sums[4 * a]!)
    .slice(0, same);
  const colours = new Uint8Array(256 * 3);
  bins.forEach((bin, i) => {
    for (let channel = 0; channel < 3; ++channel) colours[3 * i + channel] = mean(bin, channel);
  });
  const nearest = Uint8Array.from({ length: 4096 }, (_, bin) => {
    const centre = [bin >> 8, (bin >> 4) & 15, bin & 15].map(nibble => 16 * nibble + 8);
    let best = 0,
      least = Infinity;
    for (let i = 0; i < bins.length; ++i) {
      if (bins[i] === bin) return i;
      let far = 0;
      for (let channel = 0; channel < 3; ++channel) far += (colours[3 * i + channel]! - centre[channel]!) ** 2;
      if (far < least) [best, least] = [i, far];
    }
    return best;
  });
  return { colours, nearest };
}

class Bytes {
  private bytes = new Uint8Array(1 << 16);
  private used = 0;

  add(...values: number[]) {
    for (const value of values) {
      if (this.used === this.bytes.length) {
        const more = new Uint8Array(2 * this.used);
        more.set(this.bytes);
        this.bytes = more;
      }
      this.bytes[this.used++] = value;
    }
  }
  word(...values: number[]) {
    for (const value of values) this.add(value & 255, value >> 8);
  }
  all() {
    return this.bytes.slice(0, this.used);
  }
}

const clear = 256,
  end = 257,
  most_codes = 4096;

// LZW with codes of 9 to 12 bits.
function compressed(values: Uint8Array): Uint8Array {
  const out = new Bytes();
  const longer = new Uint16Array(most_codes << 8); // the code of a code's values and one more; 0: none
  let held = 0,
    bits = 0,
    size = 9,
    last = end;
  const emit = (code: number) => {
    held |= code << bits;
    for (bits += size; bits >= 8; bits -= 8) {
      out.add(held & 255);
      held >>= 8;
    }
  };
  emit(clear);
  let code = values[0]!;
  for (let i = 1; i < values.length; ++i) {
    const value = values[i]!,
      key = (code << 8) | value,
      known = longer[key]!;
    if (known > 0) {
      code = known;
      continue;
    }
    emit(code);
    code = value;
    if (last + 1 < most_codes) {
      longer[key] = ++last;
      if (last === 1 << size) ++size;
    } else {
      emit(clear);
      longer.fill(0);
      size = 9;
      last = end;
    }
  }
  emit(code);
  emit(end);
  if (bits > 0) out.add(held & 255);
  return out.all();
}

// The smallest box of a frame in which something is not `same`; of none, its first pixel.
function changed_box(values: Uint8Array, width: number): [left: number, top: number, right: number, bottom: number] {
  let [left, top, right, bottom] = [width, Infinity, 0, 0];
  for (let at = 0; at < values.length; ++at) {
    if (values[at] === same) continue;
    const x = at % width,
      y = (at - x) / width;
    left = Math.min(left, x);
    right = Math.max(right, x + 1);
    top = Math.min(top, y);
    bottom = y + 1;
  }
  return bottom === 0 ? [0, 0, 1, 1] : [left, top, right, bottom];
}

export class Gif {
  private out = new Bytes();
  private nearest: Uint8Array;
  private before: Uint8Array | undefined;

  // `samples`: pixels of frames that have all of its colours.
  constructor(
    private width: number,
    private height: number,
    samples: Uint8ClampedArray[],
  ) {
    const { colours, nearest } = palette_of(samples);
    this.nearest = nearest;
    const text = (letters: string) => this.out.add(...[...letters].map(letter => letter.charCodeAt(0)));
    text("GIF89a");
    this.out.word(width, height);
    this.out.add(0xf7, 0, 0, ...colours); // 256 colours for all frames
    this.out.add(0x21, 0xff, 11);
    text("NETSCAPE2.0");
    this.out.add(3, 1, 0, 0, 0); // again and again
  }

  add({ pixels, hundredths }: Frame) {
    const now = new Uint8Array(this.width * this.height);
    for (let i = 0; i < now.length; ++i) now[i] = this.nearest[bin_of(pixels, 4 * i)]!;
    const { before } = this;
    const drawn = before ? now.map((value, i) => (value === before[i] ? same : value)) : now;
    this.before = now;
    const [left, top, right, bottom] = before ? changed_box(drawn, this.width) : [0, 0, this.width, this.height];
    const part = new Uint8Array((right - left) * (bottom - top));
    for (let y = top; y < bottom; ++y)
      part.set(drawn.subarray(y * this.width + left, y * this.width + right), (y - top) * (right - left));
    this.out.add(0x21, 0xf9, 4, 0b101); // what is not drawn again stays
    this.out.word(hundredths);
    this.out.add(same, 0, 0x2c);
    this.out.word(left, top, right - left, bottom - top);
    this.out.add(0, 8);
    const data = compressed(part);
    for (let at = 0; at < data.length; at += 255) {
      const block = data.subarray(at, at + 255);
      this.out.add(block.length, ...block);
    }
    this.out.add(0);
  }

  blob(): Blob {
    this.out.add(0x3b);
    return new Blob([this.out.all()], { type: "image/gif" });
  }
}
