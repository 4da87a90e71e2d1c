// What the engine predicts of labelled texts, as it sends it (docs/developers/engine.md).

// A word that goes with a class: in how many texts of the class it stands, and in how many others.
export interface Candidate {
  word: string;
  here: number;
  elsewhere: number;
  evidence: "strong" | "probable" | "possible" | "weak";
  likely: number; // probability that it goes with the class in all such texts
  settled_by: number | null;
  alone: boolean; // it may give the label away
  gives_label: boolean; // it does
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
    signal: number; // share of the labels' variance that counts of words explain, and its standard error
    error: number;
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
