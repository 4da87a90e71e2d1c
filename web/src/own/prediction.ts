// What the engine predicts of labelled texts, as it sends it (docs/reference/http-api.md).

// A word that goes with a class: in how many texts of the class it stands, and in how many others; by how many standard
// deviations the first exceeds chance; and the attention predicted for it, as a multiple of uniform attention.
export interface Candidate {
  word: string;
  here: number;
  elsewhere: number;
  deviations: number | null;
  evidence: "strong" | "probable" | "possible" | "weak";
  settled_by: number | null;
  attended: number | null; // not predicted
  alone: boolean; // it may give the label away
}
export interface Output {
  output: string;
  per_example: number; // share of the texts that have this label
  candidates: Candidate[];
}
export interface Doubtful {
  text: number; // from 1
  label: string;
  instead: string;
  words: string;
}
export interface Forecast {
  prediction: {
    verdict: "early" | "slow" | "hard" | "unsure";
    says: string;
    because: string;
    leak: string; // warns of words that each give a label; empty where there is none
    trust: string;
    attention_predicted: boolean;
    examples: number;
    copies: number;
    repeated: { [verdict: string]: number };
    outputs: Output[];
    labels: {
      accuracy: number;
      majority: number;
      repeats: number; // 0: not checked
      learned: boolean;
      false_alarms: number; // expected number of doubtful labels that are right
      doubtful: Doubtful[];
    };
  };
  attention: number[][]; // of each of the texts asked about
  logits: { [word: string]: number }; // of attention; 0 where it is not predicted
}
