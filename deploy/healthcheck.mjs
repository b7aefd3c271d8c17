// The image's health check, because the image has no shell and no curl: exit code 0 if the service is alive.
const { PROCESS_ROLE, HEALTH_PORT, PORT } = process.env;
const port = (PROCESS_ROLE === 'worker' ? HEALTH_PORT : PORT) || 3000;
const address = `http://127.0.0.1:${port}/health/live`;
const response = await fetch(address, { signal: AbortSignal.timeout(4_000) }).catch((error) => error);
if (!response.ok) {
  console.error(`${address}: ${response.status ?? response.message}`);
  process.exit(1);
}
