const service = require('../services/parcelService')

exports.show = async (req, res, next) => {
  try {
    res.json(await service.find(req.params.id))
  } catch (error) {
    next(error)
  }
}

exports.create = async (req, res, next) => {
  try {
    res.status(201).json(await service.create(req.body))
  } catch (error) {
    next(error)
  }
}
