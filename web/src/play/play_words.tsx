// The words of a button that plays, pauses, or plays from the start what has ended.
export function PlayWords({ playing, ended }: { playing: boolean; ended: boolean }) {
  const [sign, word] = playing ? ["||", "Pause"] : ended ? ["↻", "Replay"] : ["▶", "Play"];
  return (
    <>
      <span aria-hidden="true">{sign}</span> {word}
    </>
  );
}
