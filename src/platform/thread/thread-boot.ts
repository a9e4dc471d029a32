/*
 * Where every worker begins. Compiled code that is remembered between runs halves the start of a thread, and one that
 * died is to be replaced soon; but each thread has to ask for it by itself, before it loads anything.
 */
import { enableCompileCache } from 'node:module'
import { workerData } from 'node:worker_threads'
import type { ThreadData } from './thread-data.ts'

const { entry, usesCompileCache } = (workerData as ThreadData).cairnThread
if (usesCompileCache) enableCompileCache()
await import(entry)
