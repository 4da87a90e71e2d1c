// The boxes that make the axes of a chart logarithmic. `log` names the axes that are: "", "x", "y" or "xy".
interface Props {
  across: string; // what the x axis has: "steps"
  log: string;
  set: (log: string) => void;
}

const axes = ["x", "y"] as const;

export function LogBoxes({ across, log, set }: Props) {
  return axes.map(axis => (
    <label key={axis}>
      <input
        type="checkbox"
        checked={log.includes(axis)}
        onChange={event =>
          set(axes.filter(one => (one === axis ? event.currentTarget.checked : log.includes(one))).join(""))
        }
      />
      {axis === "x" ? `Logarithmic ${across}` : "Logarithmic values"}
    </label>
  ));
}
