// Trainings that a view orders from the machine that serves the page, and waits for.
import { useEffect, useState } from "preact/hooks";
import type { Job, Order } from "../model";
import type { Trainer } from "../source";

const often = 700; // milliseconds between two questions about them

function progress_text(jobs: Job[]): string {
  const training = jobs.flatMap(job => job.in_training)[0];
  const at = training ? `step ${training.step} of ${training.of}` : "waiting to start";
  const ended = jobs.filter(({ state }) => state === "done").length;
  return `Training${jobs.length > 1 ? ` ${Math.min(jobs.length, ended + 1)} of ${jobs.length}` : ""}: ${at}.`;
}

// The numbers of those that are not done, by the name of their trainings; none while they are ordered. A view that is drawn
// again waits for them. A view that was drawn while they were ordered waits from the next click on.
const not_done = new Map<string, number[]>();

// `of` is the name of these trainings. `ended` is called once all of them are done, and returns the text that is shown then.
export function useOrders(trainer: Trainer | undefined, of: string, ended: () => Promise<string>) {
  const [numbers, set_numbers] = useState<number[]>(not_done.get(of) ?? []);
  const [progress, set_progress] = useState(numbers.length > 0 ? "Training." : "");
  const [problem, set_problem] = useState("");
  const keep = (wanted: number[]) => {
    if (wanted.length > 0) not_done.set(of, wanted);
    else not_done.delete(of);
    set_numbers(wanted);
  };
  const failed = (error: unknown) => {
    keep([]);
    set_progress("");
    set_problem((error as Error).message ?? String(error));
  };
  const start = async (orders: Order[]) => {
    const known = not_done.get(of);
    if (known) {
      if (known.length > 0) {
        set_numbers(known);
        set_progress("Training.");
      }
      return;
    }
    not_done.set(of, []);
    set_problem("");
    set_progress("Waiting to start.");
    try {
      const started: number[] = [];
      for (const order of orders) started.push((await trainer!.start(order)).job);
      keep(started);
    } catch (error) {
      failed(error);
    }
  };
  useEffect(() => {
    if (numbers.length === 0) return;
    const look = async () => {
      const jobs = (await trainer!.jobs()).filter(({ job }) => numbers.includes(job));
      const bad = jobs.find(({ state, failed }) => state === "failed" || state === "stopped" || failed > 0);
      if (bad) throw new Error(bad.error || `The training ${bad.state === "stopped" ? "was stopped" : "failed"}.`);
      if (jobs.length < numbers.length) throw new Error("The server no longer has these trainings. Order them again.");
      if (jobs.some(({ state }) => state !== "done")) return set_progress(progress_text(jobs));
      clearInterval(timer);
      set_progress(await ended());
      keep([]);
    };
    const timer = setInterval(() => void look().catch(failed), often);
    return () => clearInterval(timer);
  }, [numbers]);
  return { start, progress, problem, failed, busy: progress !== "" };
}
