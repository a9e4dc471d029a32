/** A lock that only one owner in this process can hold, on any of its threads. */
import { locks } from 'node:worker_threads'

/** Releases the lock. The end of the thread releases it too. */
export type Release = () => void

/** Undefined if the lock is held in this process. Other processes do not see it. */
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
