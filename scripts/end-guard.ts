// Loaded before every test file. A test that ends its process (`process.exit(0)`) skips the tests after it, and Node's
// runner reports the file as passed. With this guard the process fails instead.
import { after } from 'node:test'
import { isMainThread } from 'node:worker_threads'

// Threads and forks of a test inherit --import. They run no test file, so they may end at any time.
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
