// Asks the node whether it is ready: exit code 0, or 1 with the answer that says why not.
const url = process.argv[2] ?? process.env.HEALTH_URL ?? 'http://127.0.0.1:8545/readiness'
const PATIENCE_MS = 4_000

try {
  const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) })
  console.log(await answer.text())
  process.exitCode = answer.ok ? 0 : 1
} catch (error) {
  console.log(`${url} does not answer: ${error.cause?.message ?? error.message}`)
  process.exitCode = 1
}
