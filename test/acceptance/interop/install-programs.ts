/* Installs what use-token-programs.test.ts needs, before its time runs: on a new machine that takes a minute or two. */
import { installPrograms } from '../../../scripts/python-programs.ts'
import { installHardhat, withoutHardhat } from '../../support/hardhat-program.ts'
import { WEB3_PY } from './web3py/packages.ts'

if (withoutHardhat() === undefined) console.log(installHardhat())
console.log(installPrograms(WEB3_PY))
