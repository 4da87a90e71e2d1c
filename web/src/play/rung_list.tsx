// What the ideal model of each predicted plateau uses, from the highest plateau.
import type { Rule } from "../line_looks";
import { rung_means } from "./rung_words";

export function RungList({ rungs, task }: { rungs: Rule[]; task: string }) {
  const named = [...rungs].sort((a, b) => b.value - a.value).flatMap(({ name }) => name.split(", "));
  return (
    <ul>
      {named.map(name => (
        <li key={name}>
          <b>{name}</b>: {rung_means(task, name) ?? "see the task's page in the reference"}
        </li>
      ))}
    </ul>
  );
}
