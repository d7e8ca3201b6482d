/**
 * State of one service provider in a logout transaction, as the page shows it. `later`: it did not answer, and delivery
 * is retried in the background; `not_told`: it has no logout endpoint that could be used.
 */
export const serviceStates = ["asking", "done", "refused", "no_answer", "later", "not_told"] as const;
export type ServiceState = (typeof serviceStates)[number];
