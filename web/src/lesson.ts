// The lesson of docs/how-to/lesson.md, part by part: where each begins, how long it takes, and what to ask the class
// before anything is played. A test holds both to the same links and minutes.
export const lesson = [
  {
    title: "Copying twelve words",
    minutes: 4,
    link: "#/play?lesson=1&hide=views,try,settings,hold,save,ahead",
    ask: "Press Next evaluation five times, to step 10. Does the map show a diagonal already? Which curve has risen? Then press Play.",
  },
  {
    title: "Attention held uniform until step 60",
    minutes: 4,
    link: "#/play?lesson=2&task=subset&hold=60&hide=views,try,settings,save,ahead",
    ask: "What will the two curves do before step 60, and what after?",
  },
  {
    title: "Two trainings side by side",
    minutes: 4,
    link: "#/play?lesson=3&task=permutation&beside=task.vocab%3D30&curves=accuracy,attention_points_right,beta_points_right&hide=views,try,settings,hold,save,ahead",
    ask: "Left every text has the same 20 words, right 20 of 30. Which is easier?",
  },
  {
    title: "Is the keyword in the text?",
    minutes: 3,
    link: "#/play?lesson=4&task=keyword&hold=160&curves=accuracy,attention_on_answer,beta_auc&hide=views,try,settings,save,ahead",
    ask: "Can it answer correctly without ever looking at the keyword?",
  },
  {
    title: "Texts of your own",
    minutes: 2,
    link: "#/play?lesson=5&task=own&hide=views,try,settings,hold",
    ask: "To which words will attention come? Take an example, read what is predicted, then play.",
  },
];
