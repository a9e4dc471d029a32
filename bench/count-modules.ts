/* Loaded first by every thread of a node: writes the modules that the thread loads to a file. */
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { isMainThread, workerData } from 'node:worker_threads'

const thread: string = isMainThread ? 'main' : workerData.cairnThread.name
const file = process.env.CAIRN_MODULES_FILE!
registerHooks({
  load(url, context, nextLoad) {
    if (!url.startsWith('node:')) appendFileSync(file, `${thread} ${url}\n`)
    return nextLoad(url, context)
  },
})
