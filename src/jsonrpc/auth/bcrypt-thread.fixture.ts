/* The entry file of the worker in bcrypt-thread.test.ts: one password kills it. */
import { runThread } from '#platform/thread/thread-entry.ts'
import type { BCRYPT } from './bcrypt-thread.ts'
import { verifyPassword } from './password-hash.ts'

runThread<typeof BCRYPT>(({ connect }) => {
  connect(
    {
      requests: {
        verify: ({ password, hash }) =>
          password === 'die' ? process.exit(1) : verifyPassword(password, hash),
      },
    },
    () => undefined,
  )
  return undefined
})
