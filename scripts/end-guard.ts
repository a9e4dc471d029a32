// Loaded before every test file. A test that ends its process (`process.exit(0)`) takes the tests behind it along, and
// the runner of Node calls the file passed: here the process fails instead.
import { after } from 'node:test'
import { isMainThread } from 'node:worker_threads'

// Threads and forks of a test inherit --import: what they run is no test file, and may end as it likes.
const isRunner = process.execArgv.includes('--test')
const isTestFile = process.env.NODE_TEST_CONTEXT !== undefined && process.argv[1]?.endsWith('.test.ts')
if (isMainThread && (isRunner || isTestFile)) {
  let isFinished = false
  after(() => {
    isFinished = true
  })
  process.on('exit', () => {
    if (isFinished) return
    console.error(
      `A test ended the process before every test was over (${process.argv[1] ?? 'node --test'}).`,
    )
    process.exitCode = 1
  })
}
