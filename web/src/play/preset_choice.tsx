// What the playground is called, the examples to begin with, and the way to a presentation.
import { present } from "./presenter";
import { type Preset, presets } from "./presets";
import { first, type State } from "./state";
import { easy, tasks } from "./tasks";

interface Props {
  preset: Preset | undefined;
  begin: (next: Preset) => void;
  task: string;
  seed: number;
  set: (changes: Partial<State>) => void;
}

// Own texts have no examples, and a choice here would take them from view.
export function PresetChoice({ preset, begin, task, seed, set }: Props) {
  if (task === "own")
    return (
      <div class="play-top">
        <h1>Own texts</h1>
      </div>
    );
  return (
    <div class="play-top">
      <h1>Playground</h1>
      <label class="line task">
        Task
        <select value={task} onChange={event => set({ ...first, task: event.currentTarget.value, seed })}>
          {[true, false].map(begins => (
            <optgroup label={begins ? "To begin with" : "More"}>
              {tasks
                .filter(one => easy.includes(one.name) === begins)
                .map(one => (
                  <option value={one.name} selected={one.name === task}>
                    {one.title}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
      </label>
      <label class="line">
        <span>Try</span>
        <select
          value={preset?.name ?? ""}
          onChange={event => {
            const next = presets.find(one => one.name === event.currentTarget.value);
            if (next) begin(next);
          }}
        >
          <option value="">your own choice of settings</option>
          {presets.map(one => (
            <option value={one.name} selected={one === preset}>
              {one.title}
            </option>
          ))}
        </select>
      </label>
      <button
        type="button"
        class="quiet present"
        onClick={present}
        title="To show it to a room: the training alone, with a key for everything"
      >
        Present
      </button>
    </div>
  );
}
