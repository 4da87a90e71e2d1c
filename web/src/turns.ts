// Work that is asked for often and takes a while: one at a time. What is asked meanwhile is done once more afterwards,
// however often it was asked, so that something comes even where news never end, and the newest comes last. The work
// fails by itself.
export function in_turn(work: () => Promise<void>): () => void {
  let busy = false,
    again = false;
  const run = async () => {
    again = busy;
    if (busy) return;
    busy = true;
    do {
      again = false;
      await work();
    } while (again);
    busy = false;
  };
  return () => void run();
}
