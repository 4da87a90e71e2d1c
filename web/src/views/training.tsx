// Trainings on the machine that serves the page: started here, watched, and stopped.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Experiment, Job } from "../model";
import type { Source, Trainer } from "../source";
import { Trouble } from "../trouble";
import { in_turn } from "../turns";

const often = 500,
  seldom = 5000; // milliseconds between looks: while something trains, and else, since another tab may start it

// `news` changes when the store does.
export function Training({ trainer, experiments, news }: { trainer: Trainer; experiments: Source; news: number }) {
  const [known, set_known] = useState<Experiment[]>([]);
  const [jobs, set_jobs] = useState<Job[]>([]);
  const [trouble, set_trouble] = useState(""); // with what was asked for
  const [blind, set_blind] = useState(""); // with looking
  useEffect(() => {
    experiments.story().then(
      story => set_known(story.experiments),
      error => set_trouble(words_of(error)),
    );
  }, [experiments]);
  const under_way = jobs.some(job => job.state === "running" || job.state === "waiting");
  const look = useMemo(
    () =>
      in_turn(() =>
        trainer.jobs().then(
          found => {
            set_jobs(found);
            set_blind("");
          },
          error => set_blind(words_of(error)),
        ),
      ),
    [trainer],
  );
  useEffect(look, [look, news]);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || look(), under_way ? often : seldom);
    return () => clearInterval(timer);
  }, [look, under_way]);
  // Asks for it, and looks what came of it.
  const ask = async (order: () => Promise<unknown>) => {
    set_trouble("");
    try {
      await order();
      look();
    } catch (error) {
      set_trouble(words_of(error));
    }
  };

  const start = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name) ?? "").trim();
    const set = text("set").split(/\s+/).filter(Boolean);
    return ask(() =>
      trainer.start({
        experiment: text("experiment"),
        form: text("form"),
        ...(text("seeds") && { seeds: text("seeds") }),
        ...(set.length > 0 && { set }),
      }),
    );
  };
  return (
    <details class="training">
      <summary>
        Train on this machine
        {under_way && (
          <span class="state running">
            {jobs.filter(job => job.state === "running" || job.state === "waiting").length} under way
          </span>
        )}
      </summary>
      <form class="filters" onSubmit={start} aria-label="Train on this machine">
        <label>
          Train
          <select name="experiment">
            {known.map(one => (
              <option value={one.name}>{one.name}</option>
            ))}
          </select>
        </label>
        <label>
          Form
          <select name="form">
            <option value="quick">quick</option>
            <option value="full">full</option>
          </select>
        </label>
        <label>
          Seeds
          <input type="text" name="seeds" placeholder="0..4" class="short" spellcheck={false} />
        </label>
        <label class="wide">
          Settings
          <input type="text" name="set" placeholder="task.vocab=40,60 train.rate=0.002" spellcheck={false} />
        </label>
        <button type="submit" class="main">
          Start
        </button>
      </form>
      <p class="problem" role="alert">
        {trouble || blind}
      </p>
      <ul class="jobs" aria-label="Trainings">
        {jobs.map(job => (
          <li key={job.job} data-job={job.job}>
            <span class={`state ${job.state === "waiting" ? "running" : job.state}`}>{job.state}</span>
            <span>
              {job.experiment}
              {job.stage && `, ${job.stage}`}
            </span>
            <progress
              max={Math.max(1, job.total)}
              value={job.total ? reached(job) : 0}
              aria-label={`${job.experiment}: runs done`}
            />
            <span class="soft">
              {job.done + job.found} of {job.total} run{job.total === 1 ? "" : "s"}
              {job.found > 0 && `, ${job.found} found`}
              {job.failed > 0 && `, ${job.failed} failed`}
              {job.state === "running" &&
                job.in_training[0] &&
                `; step ${job.in_training[0].step} of ${job.in_training[0].of}`}
              {job.error && `. ${job.error}`}
            </span>
            {(job.state === "running" || job.state === "waiting") && (
              <button
                type="button"
                onClick={() => ask(() => trainer.stop(job.job))}
                aria-label={`Stop ${job.experiment}`}
              >
                ■ Stop
              </button>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}

function words_of(error: unknown): string {
  return error instanceof Trouble ? error.message : String(error);
}

// Runs that are over, and the share that those in training have done.
function reached(job: Job): number {
  return (
    job.done +
    job.found +
    job.failed +
    job.in_training.reduce((sum, run) => sum + (run.of > 0 ? run.step / run.of : 0), 0)
  );
}
