// the contract returns its stored counter
>> {"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"0x3333333333333333333333333333333333333333"},"latest"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x000000000000000000000000000000000000000000000000000000000000002c"}
// on an earlier state
>> {"jsonrpc":"2.0","id":2,"method":"eth_call","params":[{"to":"0x3333333333333333333333333333333333333333"},"earliest"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x000000000000000000000000000000000000000000000000000000000000002a"}
// with storage, code or balance as one likes
>> {"jsonrpc":"2.0","id":3,"method":"eth_call","params":[{"to":"0x3333333333333333333333333333333333333333"},"latest",{"0x3333333333333333333333333333333333333333":{"stateDiff":{"0x0":"0x64"}}}]}
<< {"jsonrpc":"2.0","id":3,"result":"0x0000000000000000000000000000000000000000000000000000000000000065"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_call","params":[{"to":"0x2222222222222222222222222222222222222222"},"latest",{"0x2222222222222222222222222222222222222222":{"code":"0x602a60005260206000f3"}}]}
<< {"jsonrpc":"2.0","id":4,"result":"0x000000000000000000000000000000000000000000000000000000000000002a"}
>> {"jsonrpc":"2.0","id":5,"method":"eth_call","params":[{"to":"0x3333333333333333333333333333333333333333"},"latest",{"0x3333333333333333333333333333333333333333":{"state":{},"stateDiff":{}}}]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid call params"}}
// a revert with a text, and a halt
>> {"jsonrpc":"2.0","id":6,"method":"eth_call","params":[{"to":"0x4444444444444444444444444444444444444444"},"latest"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":3,"message":"Execution reverted (no)","data":"0x08c379a0000000000000000000000000000000000000000000000000000000000000002000000000000000000000000000000000000000000000000000000000000000026e6f000000000000000000000000000000000000000000000000000000000000"}}
>> {"jsonrpc":"2.0","id":8,"method":"eth_call","params":[{"data":"0xfe"},"latest"]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32000,"message":"Transaction processing could not be completed due to an exception (Invalid opcode: 0xfe)"}}
// value has to be owned, gas only where a price is given
>> {"jsonrpc":"2.0","id":9,"method":"eth_call","params":[{"from":"0x4444444444444444444444444444444444444444","to":"0x2222222222222222222222222222222222222222","value":"0x1"},"latest"]}
<< {"jsonrpc":"2.0","id":9,"error":{"code":-32004,"message":"Upfront cost exceeds account balance (transaction up-front cost 0x1 exceeds transaction sender account balance 0x0 for sender 0x4444444444444444444444444444444444444444)"}}
>> {"jsonrpc":"2.0","id":10,"method":"eth_call","params":[{"from":"0x4444444444444444444444444444444444444444","to":"0x2222222222222222222222222222222222222222","gasPrice":"0x77359400"},"latest"]}
<< {"jsonrpc":"2.0","id":10,"error":{"code":-32004,"message":"Upfront cost exceeds account balance (transaction up-front cost 0xd529ae9e860000 exceeds transaction sender account balance 0x0 for sender 0x4444444444444444444444444444444444444444)"}}
>> {"jsonrpc":"2.0","id":11,"method":"eth_call","params":[{"from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","to":"0x2222222222222222222222222222222222222222","gasPrice":"0x1"},"latest"]}
<< {"jsonrpc":"2.0","id":11,"error":{"code":-32009,"message":"Gas price below current base fee (gasPrice is less than the current BaseFee)"}}
>> {"jsonrpc":"2.0","id":12,"method":"eth_call","params":[{"from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","nonce":"0x0"},"latest"]}
<< {"jsonrpc":"2.0","id":12,"error":{"code":-32001,"message":"Nonce too low (transaction nonce 0 below sender account nonce 6 for sender 0x4a62316623ad457f02cdc5d997ded67a383ec569)"}}
>> {"jsonrpc":"2.0","id":13,"method":"eth_call","params":[{"to":"0x3333333333333333333333333333333333333333","gas":"0x5207"},"latest"]}
<< {"jsonrpc":"2.0","id":13,"error":{"code":-32003,"message":"Intrinsic gas exceeds gas limit (intrinsic gas cost 21000 exceeds gas limit 20999)"}}
// a precompile that stands elsewhere
>> {"jsonrpc":"2.0","id":14,"method":"eth_call","params":[{"to":"0x2222222222222222222222222222222222222222","data":"0x0102"},"latest",{"0x0000000000000000000000000000000000000004":{"movePrecompileToAddress":"0x2222222222222222222222222222222222222222"}}]}
<< {"jsonrpc":"2.0","id":14,"result":"0x0102"}
// no such block
>> {"jsonrpc":"2.0","id":15,"method":"eth_call","params":[{"to":"0x3333333333333333333333333333333333333333"},"0x99"]}
<< {"jsonrpc":"2.0","id":15,"result":null}
// wrong or missing parameters: the block is looked at first
>> {"jsonrpc":"2.0","id":16,"method":"eth_call","params":[{"to":"0x3333333333333333333333333333333333333333"}]}
<< {"jsonrpc":"2.0","id":16,"error":{"code":-32602,"message":"Invalid block param (block not found)"}}
>> {"jsonrpc":"2.0","id":17,"method":"eth_call","params":["x"]}
<< {"jsonrpc":"2.0","id":17,"error":{"code":-32602,"message":"Invalid block param (block not found)"}}
>> {"jsonrpc":"2.0","id":18,"method":"eth_call","params":["x","latest"]}
<< {"jsonrpc":"2.0","id":18,"error":{"code":-32602,"message":"Invalid call params"}}
>> {"jsonrpc":"2.0","id":19,"method":"eth_call","params":[{"to":"0x3333333333333333333333333333333333333333","data":"0x01","input":"0x02"},"latest"]}
<< {"jsonrpc":"2.0","id":19,"error":{"code":-32602,"message":"Invalid call params"}}
