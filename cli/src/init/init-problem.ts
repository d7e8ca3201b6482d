/** A wrong or missing answer. */
export class InitProblem extends Error {}
