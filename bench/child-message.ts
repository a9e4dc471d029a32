import type { ChildProcess } from 'node:child_process'

/** The next message of a process. */
export function message<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error('a process ended unexpectedly'))
    child.once('exit', onExit)
    child.once('message', (value) => {
      child.off('exit', onExit)
      resolve(value as T)
    })
  })
}
