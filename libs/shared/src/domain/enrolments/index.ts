export { createEnrolments, type Enrolment, type Enrolments } from "./enrolments-redis.ts";
