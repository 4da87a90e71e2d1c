// What could not be had, in the words of who knows: a paragraph to show.
export class Trouble extends Error {}
