// Trainings on the machine that serves the page: started here, watched, and stopped.
import { useEffect, useState } from "preact/hooks";
import type { Experiment, Job } from "../model";
import { Trouble, type Source, type Trainer } from "../source";

export function Training({ trainer, experiments }: { trainer: Trainer; experiments: Source }) {
  const [known, set_known] = useState<Experiment[]>([]);
  const [jobs, set_jobs] = useState<Job[]>([]);
  const [trouble, set_trouble] = useState("");
  const say = (error: unknown) => set_trouble(error instanceof Trouble ? error.message : String(error));
  useEffect(() => {
    experiments.story().then((story) => set_known(story.experiments), say);
  }, [experiments]);
  const under_way = jobs.some((job) => job.state === "running" || job.state === "waiting");
  useEffect(() => {
    const look = () => trainer.jobs().then(set_jobs, say);
    look();
    if (!under_way) return;
    const timer = setInterval(look, 500);
    return () => clearInterval(timer);
  }, [trainer, under_way]);

  const start = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name) ?? "").trim();
    const set = text("set").split(/\s+/).filter(Boolean);
    try {
      await trainer.start({ experiment: text("experiment"), form: text("form"), ...(text("seeds") && { seeds: text("seeds") }), ...(set.length > 0 && { set }) });
      set_trouble("");
      set_jobs(await trainer.jobs());
    } catch (error) {
      say(error);
    }
  };
  const stop = async (job: Job) => {
    try {
      await trainer.stop(job.job);
      set_jobs(await trainer.jobs());
    } catch (error) {
      say(error);
    }
  };
  return (
    <details class="training">
      <summary>
        Train on this machine
        {under_way && <span class="state running">{jobs.filter((job) => job.state === "running" || job.state === "waiting").length} under way</span>}
      </summary>
      <form class="filters" onSubmit={start} aria-label="Train on this machine">
        <label>
          Train
          <select name="experiment">
            {known.map((one) => (
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
        {trouble}
      </p>
      <ul class="jobs" aria-label="Trainings">
        {jobs.map((job) => (
          <li key={job.job} data-job={job.job}>
            <span class={"state " + (job.state === "waiting" ? "running" : job.state)}>{job.state}</span>
            <span>
              {job.experiment}
              {job.stage && `, ${job.stage}`}
            </span>
            <progress max={Math.max(1, job.total)} value={job.total ? reached(job) : 0} aria-label={`${job.experiment}: runs done`} />
            <span class="soft">
              {job.done + job.found} of {job.total} run{job.total === 1 ? "" : "s"}
              {job.found > 0 && `, ${job.found} found`}
              {job.failed > 0 && `, ${job.failed} failed`}
              {job.state === "running" && job.in_training[0] && `; step ${job.in_training[0].step} of ${job.in_training[0].of}`}
              {job.error && `. ${job.error}`}
            </span>
            {(job.state === "running" || job.state === "waiting") && (
              <button type="button" onClick={() => stop(job)} aria-label={`Stop ${job.experiment}`}>
                ■ Stop
              </button>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}

// Runs that are over, and the share that those in training have done.
function reached(job: Job): number {
  return job.done + job.found + job.failed + job.in_training.reduce((sum, run) => sum + (run.of > 0 ? run.step / run.of : 0), 0);
}
