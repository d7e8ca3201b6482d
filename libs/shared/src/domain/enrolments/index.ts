export type { Enrolment } from "./enrolments-redis.ts";
export { createEnrolments, type Enrolments } from "./enrolments-redis.ts";
