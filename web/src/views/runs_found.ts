// The runs that the address asks for, and their curves, as the source has them now.
import { useEffect, useRef, useState } from "preact/hooks";
import { change_address, read_address } from "../address";
import { likely_metric, metric_of, shown_first } from "../metric";
import type { Line, Names, Run } from "../model";
import { query_of } from "../run/as_trained";
import type { Source } from "../source";
import { Trouble } from "../trouble";
import { in_turn } from "../turns";

export interface Seen {
  names: Names;
  experiment: string; // that these are the runs of, "": of all
  where: string;
  matched: number;
  runs: Run[];
  lines: Line[];
  metric: string;
  sort: string;
}

export const nothing: Seen = {
  names: { experiments: [], metrics: [], settings: [], runs: 0 },
  experiment: "",
  where: "",
  matched: 0,
  runs: [],
  lines: [],
  metric: "",
  sort: "",
};
export interface Asked {
  experiment: string; // "": of all
  where: string;
  sort: string;
  wanted: string; // metric
  at?: number | undefined; // the step at which runs are compared
}

const looked_at = 200; // newest runs
export interface Found {
  seen: Seen;
  trouble: string;
  live: boolean; // what is new comes by itself
  news: number; // how often it has
  unasked?: { experiment: string; newest: boolean } | undefined; // what was chosen for who asked for nothing
}

export function useFoundRuns(source: Source, { experiment, where, sort, wanted, at }: Asked): Found {
  const [seen, set_seen] = useState<Seen>(nothing);
  const [trouble, set_trouble] = useState("");
  const [live, set_live] = useState(false);
  const [news, set_news] = useState(0);
  const [unasked, set_unasked] = useState<Found["unasked"]>();
  const look = useRef(() => {});
  const known = useRef<number>(),
    told = useRef<number>(); // how many runs there were when it was looked, and when the line was opened
  const missed = useRef(false); // it was looked, and nothing seen
  useEffect(() => {
    let wanted_still = true;
    look.current = in_turn(async () => {
      if (!wanted_still) return;
      try {
        const names = await source.names();
        const likely = likely_metric(names.metrics, wanted);
        const query = query_of({ experiment, where, sort }, names.metrics, likely, at);
        // Who opens the view without a wish is shown one experiment, as lines of many are one blot.
        if (known.current === undefined && [...read_address().words].length === 0 && names.experiments.length > 1) {
          const { runs } = await source.runs({ limit: looked_at });
          if (wanted_still && runs[0] && [...read_address().words].length === 0) {
            const experiment = shown_first(runs);
            set_unasked({ experiment, newest: experiment === runs[0].experiment });
            return change_address({ experiment });
          }
        }
        // The curves of what is likely to be shown are asked for beside the runs, of as many as the table has.
        const [found, likely_lines] = await Promise.all([
          source.runs(query),
          likely ? source.lines({ ...query, metric: likely }) : undefined,
        ]);
        const metric = metric_of(found.runs, wanted);
        const lines = !metric
          ? []
          : metric === likely
            ? likely_lines!.lines
            : (await source.lines({ ...query, metric })).lines;
        if (!wanted_still) return;
        known.current = names.runs;
        set_seen({ names, experiment, where, ...found, lines, metric, sort });
        set_trouble("");
        missed.current = false;
      } catch (error) {
        missed.current = true;
        if (wanted_still) set_trouble(error instanceof Trouble ? error.message : String(error));
      }
      if ((told.current ?? known.current) !== known.current) look.current(); // some came in between
      told.current = undefined;
    });
    look.current();
    return () => {
      wanted_still = false;
    };
  }, [source, experiment, where, sort, wanted, at]);
  const changed = (runs?: number) => {
    if (runs !== undefined && !missed.current && (known.current ?? runs) === runs) {
      told.current = runs;
      return;
    }
    look.current();
    set_news(count => count + 1);
  };
  useEffect(() => source.watch(changed, set_live), [source]);
  return { seen, trouble, live, news, unasked };
}
