// Links that were made with old names of metrics work through 1.x.
import now from "#old-names";

const of_metrics = ["metric", "of", "curves", "sort"]; // words of the address
const suffix = /((?:_l\d+(?:_h\d+)?)?(?:_held)?)$/; // of a layer, of a head, under a hold

function name_now(metric: string): string {
  const base = metric.replace(suffix, "");
  return Object.hasOwn(now, base) ? now[base] + metric.slice(base.length) : metric;
}

// Puts the names of today into the words of an address, and gives those that it replaced.
export function put_names_of_today(words: URLSearchParams): [old: string, now: string][] {
  const replaced: [string, string][] = [];
  for (const word of of_metrics) {
    const value = words.get(word);
    if (!value) continue;
    const names = value.split(",").map(part => {
      const sign = part.startsWith("-") ? "-" : "";
      const name = part.slice(sign.length),
        new_name = name_now(name);
      if (new_name !== name) replaced.push([name, new_name]);
      return sign + new_name;
    });
    words.set(word, names.join());
  }
  return replaced;
}
