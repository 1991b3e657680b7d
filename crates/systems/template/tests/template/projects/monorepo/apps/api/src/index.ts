import express from 'express'

const app = express()
app.get('/sailings', (_request, response) => response.json([]))
app.listen(4000)
