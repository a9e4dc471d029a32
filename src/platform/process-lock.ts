/** Something that only one owner in this process may have, whichever thread each of them is on. */
import { locks } from 'node:worker_threads'

/** Gives it back; it is given back too when the thread ends. */
export type Release = () => void

/** undefined: somebody else in this process has it. Other processes do not see it. */
export function takeProcessLock(name: string): Promise<Release | undefined> {
  return new Promise((resolve, reject) => {
    const held = locks.request(name, { ifAvailable: true }, (lock) => {
      if (lock === null) return resolve(undefined)
      const { promise, resolve: release } = Promise.withResolvers<void>()
      resolve(release)
      return promise
    })
    held.catch(reject)
  })
}
