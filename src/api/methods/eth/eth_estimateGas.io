// a transfer
>> {"jsonrpc":"2.0","id":1,"method":"eth_estimateGas","params":[{"from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","to":"0x2222222222222222222222222222222222222222","value":"0x1"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x5208"}
// a call that stores, and a creation
>> {"jsonrpc":"2.0","id":2,"method":"eth_estimateGas","params":[{"from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","to":"0x3333333333333333333333333333333333333333"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0x6afd"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_estimateGas","params":[{"from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","to":"0x3333333333333333333333333333333333333333"},"latest"]}
<< {"jsonrpc":"2.0","id":3,"result":"0x6afd"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_estimateGas","params":[{"data":"0x600160005500"}]}
<< {"jsonrpc":"2.0","id":4,"result":"0x1291d"}
// what never succeeds
>> {"jsonrpc":"2.0","id":5,"method":"eth_estimateGas","params":[{"to":"0x4444444444444444444444444444444444444444"}]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":3,"message":"Execution reverted (no)","data":"0x08c379a0000000000000000000000000000000000000000000000000000000000000002000000000000000000000000000000000000000000000000000000000000000026e6f000000000000000000000000000000000000000000000000000000000000"}}
>> {"jsonrpc":"2.0","id":6,"method":"eth_estimateGas","params":[{"data":"0xfe"}]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32000,"message":"Transaction processing could not be completed due to an exception (Invalid opcode: 0xfe)"}}
>> {"jsonrpc":"2.0","id":7,"method":"eth_estimateGas","params":[{"from":"0x4444444444444444444444444444444444444444","to":"0x2222222222222222222222222222222222222222","value":"0x1"}]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32004,"message":"Upfront cost exceeds account balance (transaction up-front cost 0x1 exceeds transaction sender account balance 0x0 for sender 0x4444444444444444444444444444444444444444)"}}
>> {"jsonrpc":"2.0","id":8,"method":"eth_estimateGas","params":[{"from":"0x4444444444444444444444444444444444444444","to":"0x2222222222222222222222222222222222222222","gasPrice":"0x1"}]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32004,"message":"Upfront cost exceeds account balance"}}
>> {"jsonrpc":"2.0","id":9,"method":"eth_estimateGas","params":[{"from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","to":"0x2222222222222222222222222222222222222222","nonce":"0x0"}]}
<< {"jsonrpc":"2.0","id":9,"error":{"code":-32001,"message":"Nonce too low (transaction nonce 0 below sender account nonce 6 for sender 0x4a62316623ad457f02cdc5d997ded67a383ec569)"}}
// no such block, no call
>> {"jsonrpc":"2.0","id":10,"method":"eth_estimateGas","params":[{"to":"0x2222222222222222222222222222222222222222"},"0x99"]}
<< {"jsonrpc":"2.0","id":10,"error":{"code":-32000,"message":"Block not found"}}
>> {"jsonrpc":"2.0","id":11,"method":"eth_estimateGas","params":[]}
<< {"jsonrpc":"2.0","id":11,"error":{"code":-32602,"message":"Invalid call params"}}
