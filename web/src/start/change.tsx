// What is done to attention, to which head, and from which step until which: chosen here, and taken over by a button.
import { useEffect, useId, useState } from "preact/hooks";
import { act_text, acts } from "../play/acts";
import { head_title } from "../play/attention";
import { factor_in, first } from "../play/state";

export interface Change {
  act: string;
  by: number; // the factor, where attention is multiplied
  of: string; // "layer.1.head.2"; "": all
  from: number;
  hold: number; // until this step; 0: nothing is done
}

export const does: { [act: string]: string } = {
  uniform: "hold it uniform: equal weights",
  truth: "hold it on the right words",
  scale: "multiply its weights on the right words",
  previous: "hold it on the word before",
  first: "hold it on the first word",
  ablate: "ablate it: it gives nothing",
  frozen: "do not train it",
  alone: "train it alone",
};

// What is done, in words.
export function change_text({ act, by, of, from, hold }: Change, total: number): string {
  const until = hold >= total ? "to the end" : `until step ${hold}`;
  return `${of ? `${head_title(of)} is` : "attention is"} ${act_text(act, by)} from step ${from} ${until}`;
}

interface Props {
  now: Change;
  choices: string[]; // what can be done
  heads: string[];
  at: number;
  total: number;
  apply: (change: Change) => void;
}

export function ChangeForm({ now, choices, heads, at, total, apply }: Props) {
  const id = useId();
  const [act, set_act] = useState(now.act);
  const [by, set_by] = useState("");
  const [of, set_of] = useState(now.of);
  const [from, set_from] = useState("");
  const [until, set_until] = useState("");
  const [wrong, refuse] = useState("");
  const written = JSON.stringify([now, choices]);
  useEffect(() => {
    set_act(choices.includes(now.act) ? now.act : choices[0]!);
    set_by(String(now.by));
    set_of(now.of);
    set_from(now.hold > 0 ? String(now.from) : "");
    set_until(now.hold > 0 && now.hold < total ? String(now.hold) : "");
    refuse("");
  }, [written, total]);
  const scales = acts.find(one => one.name === act)?.factor;
  const take = () => {
    const begin = from.trim() === "" ? at : step_in(from),
      end = until.trim() === "" ? total : step_in(until);
    if (begin === undefined || end === undefined || begin >= end || end > total)
      return refuse(`Give a first step from 0 to ${total - 1}, and a later step to release it, at most ${total}.`);
    const factor = factor_in(by);
    if (scales && factor === undefined) return refuse("Give a factor from 0 to 1000, and not 1.");
    refuse("");
    apply({ act, by: (scales && factor) ?? first.by, of, from: begin, hold: end });
  };
  const field = (name: string, label: string, value: string, write: (text: string) => void, otherwise: string) => (
    <label>
      {label}
      <input
        id={`${id}-${name}`}
        class="step"
        type="text"
        inputMode={name === "by" ? "decimal" : "numeric"}
        autocomplete="off"
        placeholder={otherwise}
        value={value}
        aria-invalid={wrong ? true : undefined}
        aria-describedby={wrong ? `${id}-wrong` : undefined}
        onInput={event => write(event.currentTarget.value)}
      />
    </label>
  );
  return (
    <form
      class="change"
      onSubmit={event => {
        event.preventDefault();
        take();
      }}
    >
      {heads.length > 1 && (
        <label>
          What
          <select value={of} onChange={event => set_of(event.currentTarget.value)}>
            <option value="">all attention</option>
            {heads.map(head => (
              <option value={head} selected={head === of}>
                {head_title(head)}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        Do to attention
        <select value={act} onChange={event => set_act(event.currentTarget.value)}>
          {choices.map(name => (
            <option value={name} selected={name === act}>
              {does[name]}
            </option>
          ))}
        </select>
      </label>
      <div class="steps">
        {field("from", "From step", from, set_from, String(at))}
        {field("until", "Release at step", until, set_until, "never")}
        {scales && field("by", "Factor", by, set_by, String(first.by))}
        <div class="presses">
          <button type="submit" class="main">
            Change it
          </button>
          <button type="button" disabled={now.hold === 0} onClick={() => apply({ ...first, act: "" })}>
            Undo
          </button>
        </div>
      </div>
      <p id={`${id}-wrong`} class="problem" role="alert">
        {wrong}
      </p>
    </form>
  );
}

function step_in(text: string): number | undefined {
  return /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : undefined;
}
