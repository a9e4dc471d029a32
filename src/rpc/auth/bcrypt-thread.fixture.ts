/* The entry file of the worker in bcrypt-thread.test.ts: one password kills it. */
import { runThread } from '#platform/thread/thread-entry.ts'
import type { BcryptProtocol } from './bcrypt-thread.ts'
import { verifyPassword } from './password-hash.ts'

runThread(({ connect }) => {
  connect<BcryptProtocol, Record<never, never>>(
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
