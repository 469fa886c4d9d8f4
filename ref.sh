#!/bin/bash
export PATH=/work/main/node_modules/.bin:$PATH
cd /work/main
node -e '
const {fork}=require("node:child_process");
const c=fork("bench/references.ts",[process.argv[1],"x","/tmp/h/ref.log"]);
c.on("message",({port})=>{const r=fork("/tmp/h/prof.mjs",[c.pid,`http://127.0.0.1:${port}/v1/platform/tenant`,"5"]);r.on("exit",()=>{c.kill()})})
' $1
