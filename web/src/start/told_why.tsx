// The reason under the order of the flags, and below it, folded, how sure it is.
import { Explained } from "../term";
import type { Why } from "./why";

export function ToldWhy({ why }: { why: Why | undefined }) {
  if (!why) return null;
  return (
    <>
      <p class="waits">
        <b>Why?</b> <Explained text={why.says} /> <a href="#/toy">The smallest case</a>
      </p>
      {why.account && (
        <p class="account">
          <b>{why.account.label}</b> <Explained text={why.account.says} />
        </p>
      )}
      {why.sure.length > 0 && (
        <details class="sure">
          <summary>How sure is this?</summary>
          <ul>
            {why.sure.map(text => (
              <li>
                <Explained text={text} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
