/* Where the thread of bcrypt-thread.ts begins. */
import { runThread } from '#platform/thread/thread-entry.ts'
import type { BcryptProtocol } from './bcrypt-thread.ts'
import { verifyPassword } from './password-hash.ts'

runThread(({ connect }) => {
  connect<BcryptProtocol, Record<never, never>>(
    { requests: { verify: ({ password, hash }) => verifyPassword(password, hash) } },
    () => undefined,
  )
  return undefined
})
