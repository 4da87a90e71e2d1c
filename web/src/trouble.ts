// What could not be had, in the words of who knows: a paragraph to show.
export class Trouble extends Error {}

// With a capital, but for the name of a setting ("train.rate"), and with a full stop.
export function sentence(text: string): string {
  const name = /^\w+[.=]\w/.test(text);
  return (name ? text : text.charAt(0).toUpperCase() + text.slice(1)) + (/[.!?]$/.test(text) ? "" : ".");
}
