// Where a person gives data of their own.
import { useState } from "preact/hooks";
import { change_address } from "../address";
import { Trouble } from "../trouble";
import { type Own, refuse_large } from "./data";

async function text_in(file: File): Promise<string> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    if (!text.includes("\0")) return text;
  } catch {
    // not UTF-8
  }
  throw new Trouble(`${file.name} is no text in UTF-8: save it as that, or choose another file.`);
}

// A seed is chosen for one set of data.
const forget_seed = () => change_address({ seed: undefined });

export function OwnPanel<Data extends { given: string }>({ own }: { own: Own<Data> }) {
  const [written, write] = useState(own.data?.given ?? "");
  const [problem, set_problem] = useState("");
  const [busy, set_busy] = useState(false);
  const take = async (read: () => string | Promise<string>) => {
    set_busy(true);
    try {
      const given = await read(),
        before = own.data?.given;
      write(given);
      await own.take(given);
      if (before !== undefined && before !== given) forget_seed();
      set_problem("");
    } catch (error) {
      set_problem((error as Error).message);
    }
    set_busy(false);
  };
  const read_file = (file: File) =>
    take(() => {
      refuse_large(file.size);
      return text_in(file);
    });
  return (
    <section class="own" aria-label={own.title}>
      <label>
        {own.label}
        <textarea
          rows={own.data ? 6 : 12}
          spellcheck={false}
          placeholder={own.placeholder}
          value={written}
          onInput={event => write(event.currentTarget.value)}
        />
      </label>
      <div class="presets">
        <button type="button" class="main" disabled={busy} onClick={() => take(() => written)}>
          Use them
        </button>
        <label class="file">
          Open a file
          <input
            type="file"
            class="hidden"
            accept={own.accept}
            disabled={busy}
            onChange={event => {
              const file = event.currentTarget.files?.[0];
              event.currentTarget.value = "";
              if (file) void read_file(file);
            }}
          />
        </label>
        <button type="button" disabled={busy} onClick={() => take(() => own.example())}>
          Take an example
        </button>
        {own.data && (
          <button
            type="button"
            onClick={() => {
              own.forget();
              forget_seed();
              write("");
              set_problem("");
            }}
          >
            Forget them
          </button>
        )}
      </div>
      <p class="problem" role="alert">
        {problem}
        {problem && own.data && " What is shown is of the earlier data."}
      </p>
      <p class="soft" role="status">
        {own.data ? own.told(own.data) : own.hint}{" "}
        {own.kept
          ? "What you give is kept in this browser until you press Forget them, and sent nowhere."
          : "What you give is sent nowhere; this browser has no room to keep it, so it is gone when the page is closed."}
      </p>
    </section>
  );
}
