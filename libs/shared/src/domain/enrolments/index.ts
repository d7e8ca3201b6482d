export type { Enrolment } from "./enrolment.ts";
export { createEnrolments, type Enrolments } from "./enrolments-redis.ts";
