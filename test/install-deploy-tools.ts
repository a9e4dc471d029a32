/* Builds what test/process/deploy.test.ts needs, before its time runs: on a new machine that takes minutes, later nothing. */
import { findActionlint, findHelm, findValidate, without } from './deploy-tools.ts'

const tools = [findHelm(), findActionlint(), findValidate()]
if (without(...tools) !== false) throw new Error(String(without(...tools)))
for (const tool of tools) console.log(tool)
