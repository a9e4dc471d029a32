import { runThread } from '#platform/thread/thread-entry.ts'
import type { BCRYPT } from './bcrypt-thread.ts'
import { verifyPassword } from './password-hash.ts'

runThread<typeof BCRYPT>(({ connect }) => {
  connect({ requests: { verify: ({ password, hash }) => verifyPassword(password, hash) } }, () => undefined)
  return undefined
})
