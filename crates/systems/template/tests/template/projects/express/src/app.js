const express = require('express')
const parcels = require('./routes/parcels')
const { notFound } = require('./middleware/errors')

const app = express()
app.use(express.json())
app.use('/parcels', parcels)
app.use(notFound)

module.exports = app
