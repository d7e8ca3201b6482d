export { createEnrolments, type Enrolments } from "./enrolments-redis.ts";
