// Everyday words for tasks whose words the engine only numbers: to be read, and otherwise without meaning there.
export const everyday = (
  "river moon bread cat rain shoe tree fish hat sun door book star milk hand bird apple cup leaf stone " +
  "ship rose wind corn bell lamp frog gate salt wolf nest coat drum pear sand goat fire tent bean kite " +
  "lake iron duck sock plum ring boat snow comb gold ink owl pie wax oak ash bee cap fan jar"
).split(" ");

export const weather = ["sun", "rain", "cloud"];
