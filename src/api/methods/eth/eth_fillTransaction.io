// sender, target and value are given
>> {"jsonrpc":"2.0","id":1,"method":"eth_fillTransaction","params":[{"from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","to":"0x2222222222222222222222222222222222222222","value":"0x1"}]}
<< {"jsonrpc":"2.0","id":1,"result":{"tx":{"type":"0x2","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","nonce":"0x6","to":"0x2222222222222222222222222222222222222222","gas":"0x5208","value":"0x1","input":"0x","gasPrice":"0x3b8d409e","maxFeePerGas":"0x3b8d409e","maxPriorityFeePerGas":"0x5f5e100","chainId":"0x539","accessList":[]}}}
// given values stay
>> {"jsonrpc":"2.0","id":2,"method":"eth_fillTransaction","params":[{"from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","to":"0x2222222222222222222222222222222222222222","gas":"0x7530","nonce":"0x9","maxFeePerGas":"0x5","maxPriorityFeePerGas":"0x2","chainId":"0x539","input":"0x01"}]}
<< {"jsonrpc":"2.0","id":2,"result":{"tx":{"type":"0x2","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","nonce":"0x9","to":"0x2222222222222222222222222222222222222222","gas":"0x7530","value":"0x0","input":"0x01","gasPrice":"0x5","maxFeePerGas":"0x5","maxPriorityFeePerGas":"0x2","chainId":"0x539","accessList":[]}}}
// a gas price, with an access list and without
>> {"jsonrpc":"2.0","id":3,"method":"eth_fillTransaction","params":[{"from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","data":"0x600160005500","gasPrice":"0x5"}]}
<< {"jsonrpc":"2.0","id":3,"result":{"tx":{"type":"0x0","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","nonce":"0x6","to":null,"gas":"0x1291d","value":"0x0","input":"0x600160005500","gasPrice":"0x5","chainId":"0x539"}}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_fillTransaction","params":[{"from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","to":"0x2222222222222222222222222222222222222222","gasPrice":"0x5","accessList":[{"address":"0x3333333333333333333333333333333333333333","storageKeys":[]}]}]}
<< {"jsonrpc":"2.0","id":4,"result":{"tx":{"type":"0x1","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","nonce":"0x6","to":"0x2222222222222222222222222222222222222222","gas":"0x5cb9","value":"0x0","input":"0x","gasPrice":"0x5","chainId":"0x539","accessList":[{"address":"0x3333333333333333333333333333333333333333","storageKeys":[]}]}}}
// what cannot be sent
>> {"jsonrpc":"2.0","id":5,"method":"eth_fillTransaction","params":[{"to":"0x4444444444444444444444444444444444444444"}]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":3,"message":"Execution reverted (no)","data":"0x08c379a0000000000000000000000000000000000000000000000000000000000000002000000000000000000000000000000000000000000000000000000000000000026e6f000000000000000000000000000000000000000000000000000000000000"}}
>> {"jsonrpc":"2.0","id":6,"method":"eth_fillTransaction","params":[{"chainId":"0x1","to":"0x2222222222222222222222222222222222222222"}]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32000,"message":"Wrong chainId"}}
>> {"jsonrpc":"2.0","id":7,"method":"eth_fillTransaction","params":[{"gasPrice":"0x5","maxFeePerGas":"0x5","to":"0x2222222222222222222222222222222222222222"}]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Invalid call params","data":"A transaction has a gas price, or a highest fee and a priority fee."}}
>> {"jsonrpc":"2.0","id":8,"method":"eth_fillTransaction","params":[{"blobVersionedHashes":["0x0100000000000000000000000000000000000000000000000000000000000000"],"to":"0x2222222222222222222222222222222222222222"}]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"Invalid call params","data":"Transactions with blobs are not filled in."}}
>> {"jsonrpc":"2.0","id":9,"method":"eth_fillTransaction","params":[]}
<< {"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"Invalid call params"}}
