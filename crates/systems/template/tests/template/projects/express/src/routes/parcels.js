const { Router } = require('express')
const controller = require('../controllers/parcelController')

const router = Router()
router.get('/:id', controller.show)
router.post('/', controller.create)

module.exports = router
