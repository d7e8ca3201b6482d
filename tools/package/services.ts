/** The services of packages and images, in the order in which they start. */
export const services = ["auth-engine", "idp", "admin", "jobs-worker", "gateway"] as const;
