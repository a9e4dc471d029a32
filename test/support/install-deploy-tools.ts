/*
 * Builds the tools of test/acceptance/process/deploy.test.ts before its time limit starts: minutes on a new machine,
 * nothing later.
 */
import { findActionlint, findHelm, findValidate, without } from './deploy-tools.ts'

const tools = [findHelm(), findActionlint(), findValidate()]
if (without(...tools) !== false) throw new Error(String(without(...tools)))
for (const tool of tools) console.log(tool)
